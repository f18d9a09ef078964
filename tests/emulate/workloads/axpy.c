/* cudart and cuBLAS from plain C: memory, copies, streams, events, axpy and a matrix product. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct cublasContext* cublasHandle_t;
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum { cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };

extern int cudaGetDeviceCount(int* count);
extern int cudaSetDevice(int device);
extern int cudaRuntimeGetVersion(int* version);
extern int cudaMemGetInfo(size_t* free, size_t* total);
extern int cudaMalloc(void** pointer, size_t bytes);
extern int cudaFree(void* pointer);
extern int cudaMallocHost(void** pointer, size_t bytes);
extern int cudaFreeHost(void* pointer);
extern int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
extern int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, cudaStream_t stream);
extern int cudaMemset(void* pointer, int value, size_t bytes);
extern int cudaStreamCreate(cudaStream_t* stream);
extern int cudaStreamSynchronize(cudaStream_t stream);
extern int cudaStreamDestroy(cudaStream_t stream);
extern int cudaEventCreate(cudaEvent_t* event);
extern int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
extern int cudaEventSynchronize(cudaEvent_t event);
extern int cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
extern int cudaEventDestroy(cudaEvent_t event);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern const char* cudaGetErrorString(int error);
extern int cublasCreate_v2(cublasHandle_t* handle);
extern int cublasDestroy_v2(cublasHandle_t handle);
extern int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
extern int cublasSaxpy_v2(cublasHandle_t handle, int n, const float* alpha, const float* x, int incx,
                          float* y, int incy);
extern int cublasSgemm_v2(cublasHandle_t handle, int transa, int transb, int m, int n, int k,
                          const float* alpha, const float* a, int lda, const float* b, int ldb,
                          const float* beta, float* c, int ldc);

#define CHECK(call)                                                          \
  do {                                                                       \
    int status = (call);                                                     \
    if (status != 0) {                                                       \
      fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, status); \
      return 1;                                                              \
    }                                                                        \
  } while (0)
#define REQUIRE(condition)                                                    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                               \
    }                                                                         \
  } while (0)

int main(void) {
  enum { N = 64 };
  const size_t bytes = N * N * sizeof(float);
  const float one = 1.0f, zero = 0.0f;
  int count = 0, version = 0;
  size_t free_bytes = 0, total_bytes = 0;
  CHECK(cudaGetDeviceCount(&count));
  REQUIRE(count >= 1);
  CHECK(cudaSetDevice(0));
  CHECK(cudaRuntimeGetVersion(&version));
  CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  REQUIRE(free_bytes > 0 && free_bytes <= total_bytes);

  void *a, *b, *c, *huge = NULL, *pinned;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  REQUIRE(cudaMalloc(&huge, total_bytes) == cudaErrorMemoryAllocation);
  REQUIRE(cudaGetLastError() == cudaErrorMemoryAllocation);
  REQUIRE(cudaGetLastError() == 0);
  REQUIRE(strstr(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") != NULL);

  float* host = pinned;
  float* back = malloc(bytes);
  for (int i = 0; i < N * N; ++i) host[i] = (float)i;
  cudaStream_t stream;
  cudaEvent_t start, end;
  cublasHandle_t handle;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  CHECK(cublasCreate_v2(&handle));
  CHECK(cublasSetStream_v2(handle, stream));

  CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(back, b, bytes, cudaMemcpyDeviceToHost));
  REQUIRE(memcmp(back, host, bytes) == 0);
  CHECK(cudaMemset(c, 0, bytes));

  float milliseconds = -1.0f;
  CHECK(cudaEventRecord(start, stream));
  for (int i = 0; i < 5; ++i) {
    CHECK(cublasSaxpy_v2(handle, N * N, &one, a, 1, b, 1));
    CHECK(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &one, a, N, b, N, &zero, c, N));
  }
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  REQUIRE(milliseconds >= 0.0f);

  CHECK(cublasDestroy_v2(handle));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  CHECK(cudaFree(NULL));
  CHECK(cudaFreeHost(pinned));
  REQUIRE(cudaFree(host) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize());
  free(back);
  printf("CUDA %d, %d device(s), done\n", version, count);
  return 0;
}
