// Sparse times sparse. How many entries the result has depends on where the operands' entries are, which only
// the device knows. The value given is what evenly spread entries would make: each entry of A meets nnz(B) /
// k entries of B, and no result has more entries than places. The summary says so.
#include <algorithm>

#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

struct Product {
  Handle* context = nullptr;
  Handle* state = nullptr;  // of cusparseSpGEMM_createDescr
  SpMat a, b, c;
};

int understand(void* handle, const void* a, const void* b, const void* c, const void* object,
               Product* product) {
  product->context = find_context(handle);
  if (!product->context) return kNotInitialized;
  product->state = cusparse::find(object, kSpGEMM);
  if (!product->state || !read(a, &product->a) || !read(b, &product->b) || !read(c, &product->c))
    return kInvalidValue;
  return kSuccess;
}

int64_t expected_products(const SpMat& a, const SpMat& b) {
  const double inner = static_cast<double>(std::max<int64_t>(1, a.cols));
  return static_cast<int64_t>(static_cast<double>(a.nnz) * static_cast<double>(b.nnz) / inner + 0.999);
}

int64_t expected_nnz(const SpMat& a, const SpMat& b) {
  const double places = static_cast<double>(a.rows) * static_cast<double>(b.cols);
  const int64_t products = expected_products(a, b);
  return static_cast<double>(products) > places ? static_cast<int64_t>(places) : products;
}

// What the expanding algorithm keeps: value and column of every product.
size_t product_bytes(const Product& product) {
  const int64_t entry = mathlibs::element_bytes(product.c.value_type) + 4;
  return expected_products(product.a, product.b) * entry + 1024;
}

size_t row_bytes(const Product& product) {
  return 8 * static_cast<size_t>(product.a.rows) + 1024;
}

void record(Schema& schema, const Product& product, int op_a, int op_b, int compute_type, int algorithm) {
  submit(schema,
         {product.a.rows, product.b.cols, product.a.cols, product.a.nnz, product.b.nnz,
          expected_nnz(product.a, product.b), expected_products(product.a, product.b), op_a, op_b,
          product.a.value_type, product.b.value_type, product.c.value_type, compute_type,
          product.a.index_type, algorithm},
         stream_of(*product.context));
}

// The result's size is known to the program from here on.
int settle(const void* c, const Product& product) {
  inform(
      "the number of non-zeros of a sparse x sparse product (cusparseSpGEMM) is an expectation, not a "
      "result");
  set(*product.state, kStateKey, SpGemm{expected_products(product.a, product.b)});
  const int64_t nnz = expected_nnz(product.a, product.b);
  return update<SpMat>(c, [nnz](SpMat& matrix) { matrix.nnz = nnz; });
}

void forget_result(const Product& product) {
  forget(product.c.offsets);
  forget(product.c.indices);
  forget(product.c.values);
}

}  // namespace

#define SCHEMA(name)                                                                                         \
  MAYA_LIBRARY_SCHEMA(schema, #name, "m", "n", "k", "nnz_a", "nnz_b", "nnz_c_expected", "products_expected", \
                      "op_a", "op_b", "a_type", "b_type", "c_type", "compute_type", "index_type", "algo")

// A null buffer only asks for its size; the work is done by the second call.
#define QUERY(bytes, buffer, value)   \
  if (!(bytes)) return kInvalidValue; \
  if (!(buffer)) {                    \
    *(bytes) = value;                 \
    return kSuccess;                  \
  }

#define UNDERSTAND(product, object)                                 \
  Call call;                                                        \
  Product product;                                                  \
  const int status = understand(handle, a, b, c, object, &product); \
  if (status != kSuccess) return status

int cusparseSpGEMM_createDescr(void** object) {
  return create(object, SpGemm{});
}

int cusparseSpGEMM_destroyDescr(void* object) {
  return destroy(object, kSpGEMM);
}

int cusparseSpGEMM_workEstimation(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                                  const void*, void* c, int compute_type, int algorithm, void* object,
                                  size_t* bytes, void* buffer) {
  UNDERSTAND(product, object);
  QUERY(bytes, buffer, row_bytes(product));
  SCHEMA(cusparseSpGEMM_workEstimation);
  record(schema, product, op_a, op_b, compute_type, algorithm);
  set(*product.state, kStateKey, SpGemm{expected_products(product.a, product.b)});
  return kSuccess;
}

int cusparseSpGEMM_getNumProducts(void* object, int64_t* products) {
  SpGemm state;
  if (!read(object, &state) || !products) return kInvalidValue;
  *products = state.products;
  return kSuccess;
}

int cusparseSpGEMM_estimateMemory(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                                  const void*, void* c, int compute_type, int algorithm, void* object,
                                  float fraction, size_t* bytes3, void* buffer3, size_t* bytes2) {
  UNDERSTAND(product, object);
  QUERY(bytes3, buffer3, row_bytes(product));
  SCHEMA(cusparseSpGEMM_estimateMemory);
  record(schema, product, op_a, op_b, compute_type, algorithm);
  const double share = fraction > 0 && fraction <= 1 ? fraction : 1;
  put(bytes2, static_cast<size_t>(static_cast<double>(product_bytes(product)) * share) + 1024);
  return kSuccess;
}

int cusparseSpGEMM_compute(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                           const void*, void* c, int compute_type, int algorithm, void* object, size_t* bytes,
                           void* buffer) {
  UNDERSTAND(product, object);
  QUERY(bytes, buffer, product_bytes(product));
  SCHEMA(cusparseSpGEMM_compute);
  record(schema, product, op_a, op_b, compute_type, algorithm);
  return settle(c, product);
}

int cusparseSpGEMM_copy(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                        const void*, void* c, int compute_type, int algorithm, void* object) {
  UNDERSTAND(product, object);
  SCHEMA(cusparseSpGEMM_copy);
  record(schema, product, op_a, op_b, compute_type, algorithm);
  forget_result(product);
  return kSuccess;
}

int cusparseSpGEMMreuse_workEstimation(void* handle, int op_a, int op_b, const void* a, const void* b,
                                       void* c, int algorithm, void* object, size_t* bytes, void* buffer) {
  UNDERSTAND(product, object);
  QUERY(bytes, buffer, row_bytes(product));
  SCHEMA(cusparseSpGEMMreuse_workEstimation);
  record(schema, product, op_a, op_b, product.c.value_type, algorithm);
  return kSuccess;
}

int cusparseSpGEMMreuse_nnz(void* handle, int op_a, int op_b, const void* a, const void* b, void* c,
                            int algorithm, void* object, size_t* bytes2, void* buffer2, size_t* bytes3, void*,
                            size_t* bytes4, void*) {
  UNDERSTAND(product, object);
  put(bytes3, row_bytes(product));
  put(bytes4, row_bytes(product));
  QUERY(bytes2, buffer2, product_bytes(product));
  SCHEMA(cusparseSpGEMMreuse_nnz);
  record(schema, product, op_a, op_b, product.c.value_type, algorithm);
  return settle(c, product);
}

int cusparseSpGEMMreuse_copy(void* handle, int op_a, int op_b, const void* a, const void* b, void* c,
                             int algorithm, void* object, size_t* bytes, void* buffer) {
  UNDERSTAND(product, object);
  QUERY(bytes, buffer, row_bytes(product));
  SCHEMA(cusparseSpGEMMreuse_copy);
  record(schema, product, op_a, op_b, product.c.value_type, algorithm);
  forget_result(product);
  return kSuccess;
}

int cusparseSpGEMMreuse_compute(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                                const void*, void* c, int compute_type, int algorithm, void* object) {
  UNDERSTAND(product, object);
  SCHEMA(cusparseSpGEMMreuse_compute);
  record(schema, product, op_a, op_b, compute_type, algorithm);
  forget(product.c.values);
  return kSuccess;
}
