"""python -m maya.calibrate WHAT: fit a family of estimators to measurements, or write the report"""

import argparse

from maya.calibrate import (
    attention,
    convolution,
    flash,
    gemm,
    gemm_fp8,
    grouped,
    in_models,
    memory,
    normalisation,
    recurrent,
    report,
    simt,
)


def main() -> None:
    """Fit one family of estimators, or write the report."""
    parser = argparse.ArgumentParser(prog="python -m maya.calibrate", description=__doc__)
    parser.add_argument("what", choices=sorted(_COMMANDS))
    _COMMANDS[parser.parse_args().what]()


_COMMANDS = {
    "report": report.write,
    "recurrent": recurrent.fit_all,
    "simt": simt.fit_all,
    "attention": attention.fit_all,
    "convolution": convolution.fit_all,
    "flash": flash.fit_all,
    "gemm": gemm.fit_all,
    "gemm_fp8": gemm_fp8.fit_all,
    "grouped": grouped.fit_all,
    "in_models": in_models.fit_all,
    "memory": memory.fit_all,
    "normalisation": normalisation.fit_all,
}

if __name__ == "__main__":
    main()
