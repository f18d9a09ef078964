# Maya for machines that are no Linux on x86-64 (Macs: docker build --platform linux/amd64 -t maya .).
#
#     docker run --rm -v "$PWD":/work maya run --cluster h100:8 -- python train.py
FROM python:3.12-slim AS tools
# g++ is for the build, and for torch.compile, which builds its host code when the program runs.
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*

FROM tools AS build
COPY . /source
RUN pip wheel --no-cache-dir --no-deps -w /wheels /source

FROM tools
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[search,tables]" filelock typing-extensions sympy networkx jinja2 fsspec numpy setuptools \
 && pip install --no-cache-dir --no-deps torch==2.9.1 triton==3.5.1
RUN useradd --create-home maya
USER maya
WORKDIR /work
ENTRYPOINT ["maya"]
