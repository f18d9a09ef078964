// The legacy multi-head attention, which predates operation graphs.
#include <algorithm>

#include "descriptor.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

struct AttentionDesc {
  static constexpr int kObject = kAttentionObject;
  unsigned mode;
  int heads;
  double scale;
  int type, precision, math_type;
  void* dropout;
  void* post_dropout;
  int size[3];        // vectors of queries, keys, values
  int projection[4];  // per head: queries, keys, values, and the output's; 0: none
  int max_query, max_key, max_batch, max_beam;
};

struct SequenceDesc {
  static constexpr int kObject = kSeqDataObject;
  int type = 0;
  int dims = 0;
  int dim[4] = {};
  int axes[4] = {};
};
constexpr int kSequenceLengths = 1;

constexpr const char* kFields[] = {"mode",   "heads",  "type",   "math_type", "q_size",    "k_size",
                                   "v_size", "q_proj", "k_proj", "v_proj",    "o_proj",    "s_q",
                                   "s_kv",   "batch",  "beam",   "weights",   "workspace", "reserve"};
MAYA_CUDNN_SCHEMA(forward_schema, "cudnnMultiHeadAttnForward", kFields);
MAYA_CUDNN_SCHEMA(data_schema, "cudnnMultiHeadAttnBackwardData", kFields);
MAYA_CUDNN_SCHEMA(weights_schema, "cudnnMultiHeadAttnBackwardWeights", kFields);

struct Matrix {
  int64_t rows = 0, columns = 0;
};

// Weights of all heads for the kinds queries, keys, values, output.
Matrix weights(const AttentionDesc& desc, int kind) {
  int64_t wide = desc.projection[kind];
  if (kind < 3) return {wide * desc.heads, wide ? desc.size[kind] : 0};
  int value = desc.projection[2] ? desc.projection[2] : desc.size[2];
  return {wide, wide ? static_cast<int64_t>(value) * desc.heads : 0};
}

constexpr unsigned kProjectionBiases = 2;

int64_t weight_offset(const AttentionDesc& desc, int kind) {
  int64_t offset = 0;
  for (int before = 0; before < std::min(kind, 4); ++before) {
    Matrix matrix = weights(desc, before);
    offset += matrix.rows * matrix.columns;
  }
  for (int before = 4; before < kind; ++before) offset += weights(desc, before - 4).rows;
  return offset;
}

size_t weight_bytes(const AttentionDesc& desc) {
  int kinds = desc.mode & kProjectionBiases ? 8 : 4;
  return static_cast<size_t>(weight_offset(desc, kinds)) * bytes_of(desc.type);
}

size_t state_bytes(const AttentionDesc& desc) {
  auto rows = static_cast<size_t>(desc.max_batch) * static_cast<size_t>(desc.max_beam) *
              static_cast<size_t>(desc.heads) * static_cast<size_t>(desc.max_query);
  auto width = static_cast<size_t>(desc.max_key + 4 * std::max(desc.size[0], desc.projection[0]));
  return rows * width * bytes_of(desc.type);
}

struct Spaces {
  size_t weights, workspace, reserve;
};

int run(maya::Schema& schema, void* handle, void* attention, const Spaces& spaces) {
  maya::Handle* owner = library(handle);
  AttentionDesc desc;
  if (!owner) return kBadParam;
  if (!load(attention, &desc)) return fail(kBadParam, "not a set attention descriptor");
  if (spaces.weights < weight_bytes(desc) || spaces.workspace < state_bytes(desc)) {
    return fail(kBadParam, "weight or work space is too small");
  }
  maya::submit(
      schema,
      {desc.mode, desc.heads, cuda_type(desc.type), desc.math_type, desc.size[0], desc.size[1], desc.size[2],
       desc.projection[0], desc.projection[1], desc.projection[2], desc.projection[3], desc.max_query,
       desc.max_key, desc.max_batch, desc.max_beam, static_cast<int64_t>(spaces.weights),
       static_cast<int64_t>(spaces.workspace), static_cast<int64_t>(spaces.reserve)},
      maya::stream_of(*owner));
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreateAttnDescriptor(void** attnDesc) {
  return create<AttentionDesc>(attnDesc);
}
int cudnnDestroyAttnDescriptor(void* attnDesc) {
  return destroy<AttentionDesc>(attnDesc);
}
int cudnnCreateSeqDataDescriptor(void** seqDataDesc) {
  return create<SequenceDesc>(seqDataDesc);
}
int cudnnDestroySeqDataDescriptor(void* seqDataDesc) {
  return destroy<SequenceDesc>(seqDataDesc);
}

int cudnnSetAttnDescriptor(void* attnDesc, unsigned int attnMode, int nHeads, double smScaler, int dataType,
                           int computePrec, int mathType, void* attnDropoutDesc, void* postDropoutDesc,
                           int qSize, int kSize, int vSize, int qProjSize, int kProjSize, int vProjSize,
                           int oProjSize, int qoMaxSeqLength, int kvMaxSeqLength, int maxBatchSize,
                           int maxBeamSize) {
  int smallest =
      std::min({nHeads, qSize, kSize, vSize, qoMaxSeqLength, kvMaxSeqLength, maxBatchSize, maxBeamSize});
  if (smallest < 1 || std::min({qProjSize, kProjSize, vProjSize, oProjSize}) < 0) {
    return fail(kBadParam, "sizes must be positive");
  }
  return assign(attnDesc, AttentionDesc{attnMode,
                                        nHeads,
                                        smScaler,
                                        dataType,
                                        computePrec,
                                        mathType,
                                        attnDropoutDesc,
                                        postDropoutDesc,
                                        {qSize, kSize, vSize},
                                        {qProjSize, kProjSize, vProjSize, oProjSize},
                                        qoMaxSeqLength,
                                        kvMaxSeqLength,
                                        maxBatchSize,
                                        maxBeamSize});
}

int cudnnGetAttnDescriptor(void* attnDesc, unsigned int* attnMode, int* nHeads, double* smScaler,
                           int* dataType, int* computePrec, int* mathType, void** attnDropoutDesc,
                           void** postDropoutDesc, int* qSize, int* kSize, int* vSize, int* qProjSize,
                           int* kProjSize, int* vProjSize, int* oProjSize, int* qoMaxSeqLength,
                           int* kvMaxSeqLength, int* maxBatchSize, int* maxBeamSize) {
  AttentionDesc desc;
  if (!load(attnDesc, &desc)) return fail(kBadParam, "not a set attention descriptor");
  store(attnMode, desc.mode);
  store(nHeads, desc.heads);
  store(smScaler, desc.scale);
  store(dataType, desc.type);
  store(computePrec, desc.precision);
  store(mathType, desc.math_type);
  store(attnDropoutDesc, desc.dropout);
  store(postDropoutDesc, desc.post_dropout);
  int* sizes[] = {qSize, kSize, vSize};
  int* projections[] = {qProjSize, kProjSize, vProjSize, oProjSize};
  for (int kind = 0; kind < 3; ++kind) store(sizes[kind], desc.size[kind]);
  for (int kind = 0; kind < 4; ++kind) store(projections[kind], desc.projection[kind]);
  store(qoMaxSeqLength, desc.max_query);
  store(kvMaxSeqLength, desc.max_key);
  store(maxBatchSize, desc.max_batch);
  store(maxBeamSize, desc.max_beam);
  return kSuccess;
}

int cudnnSetSeqDataDescriptor(void* seqDataDesc, int dataType, int nbDims, const int* dimA, const int* axes,
                              size_t seqLengthArraySize, const int* seqLengthArray, void*) {
  if (nbDims != 4 || !dimA || !axes || !seqLengthArray) return fail(kBadParam, "four dimensions are needed");
  SequenceDesc desc;
  desc.type = dataType;
  desc.dims = nbDims;
  std::copy_n(dimA, 4, desc.dim);
  std::copy_n(axes, 4, desc.axes);
  int status = assign(seqDataDesc, desc);
  if (status == kSuccess) {
    maya::set_attribute(*find(seqDataDesc, kSeqDataObject), kSequenceLengths, seqLengthArray,
                        sizeof(int) * seqLengthArraySize);
  }
  return status;
}

int cudnnGetSeqDataDescriptor(void* seqDataDesc, int* dataType, int* nbDims, int nbDimsRequested, int* dimA,
                              int* axes, size_t* seqLengthArraySize, size_t seqLengthSizeRequested,
                              int* seqLengthArray, void*) {
  SequenceDesc desc;
  if (!load(seqDataDesc, &desc)) return fail(kBadParam, "not a set sequence data descriptor");
  int count = std::min(std::max(nbDimsRequested, 0), desc.dims);
  store(dataType, desc.type);
  store(nbDims, desc.dims);
  if (dimA) std::copy_n(desc.dim, count, dimA);
  if (axes) std::copy_n(desc.axes, count, axes);
  auto* lengths = maya::get_attribute(*find(seqDataDesc, kSeqDataObject), kSequenceLengths);
  size_t known = lengths ? lengths->size() / sizeof(int) : 0;
  store(seqLengthArraySize, known);
  if (seqLengthArray && lengths) {
    std::copy_n(reinterpret_cast<const int*>(lengths->data()), std::min(known, seqLengthSizeRequested),
                seqLengthArray);
  }
  return kSuccess;
}

int cudnnGetMultiHeadAttnBuffers(void* handle, void* attnDesc, size_t* weightSizeInBytes,
                                 size_t* workSpaceSizeInBytes, size_t* reserveSpaceSizeInBytes) {
  AttentionDesc desc;
  if (!library(handle)) return kBadParam;
  if (!load(attnDesc, &desc)) return fail(kBadParam, "not a set attention descriptor");
  store(weightSizeInBytes, weight_bytes(desc));
  store(workSpaceSizeInBytes, state_bytes(desc));
  store(reserveSpaceSizeInBytes, state_bytes(desc));
  return kSuccess;
}

int cudnnGetMultiHeadAttnWeights(void* handle, void* attnDesc, int wKind, size_t weightSizeInBytes,
                                 const void* weights_space, void* wDesc, void** wAddr) {
  AttentionDesc desc;
  if (!library(handle)) return kBadParam;
  if (!load(attnDesc, &desc) || wKind < 0 || wKind > 7) return fail(kBadParam, "no such weights");
  if (weightSizeInBytes < weight_bytes(desc)) return fail(kBadParam, "weight space is too small");
  Matrix matrix = weights(desc, wKind % 4);
  if (wKind > 3) matrix.columns = desc.mode & kProjectionBiases ? 1 : 0;
  bool exists = matrix.rows > 0 && matrix.columns > 0;
  const int dim[] = {1, static_cast<int>(matrix.rows), static_cast<int>(matrix.columns)};
  if (exists && wDesc) assign(wDesc, packed(desc.type, 3, dim));
  auto offset = static_cast<uintptr_t>(weight_offset(desc, wKind)) * bytes_of(desc.type);
  auto address = reinterpret_cast<uintptr_t>(weights_space) + offset;
  store(wAddr, exists ? reinterpret_cast<void*>(address) : nullptr);
  return kSuccess;
}

int cudnnMultiHeadAttnForward(void* handle, void* attnDesc, int, const int*, const int*, const int*,
                              const int*, void*, const void*, const void*, void*, const void*, void*,
                              const void*, void*, void* out, size_t weightSizeInBytes, const void*,
                              size_t workSpaceSizeInBytes, void*, size_t reserveSpaceSizeInBytes,
                              void* reserveSpace) {
  int status = run(forward_schema, handle, attnDesc,
                   {weightSizeInBytes, workSpaceSizeInBytes, reserveSpaceSizeInBytes});
  if (status == kSuccess) written(out, reserveSpace);
  return status;
}

int cudnnMultiHeadAttnBackwardData(void* handle, void* attnDesc, const int*, const int*, const int*,
                                   const int*, void*, const void*, void*, void* dqueries, const void*, void*,
                                   void* dkeys, const void*, void*, void* dvalues, const void*,
                                   size_t weightSizeInBytes, const void*, size_t workSpaceSizeInBytes, void*,
                                   size_t reserveSpaceSizeInBytes, void*) {
  int status =
      run(data_schema, handle, attnDesc, {weightSizeInBytes, workSpaceSizeInBytes, reserveSpaceSizeInBytes});
  if (status == kSuccess) written(dqueries, dkeys, dvalues);
  return status;
}

int cudnnMultiHeadAttnBackwardWeights(void* handle, void* attnDesc, int, void*, const void*, void*,
                                      const void*, void*, const void*, void*, const void*,
                                      size_t weightSizeInBytes, const void*, void* dweights,
                                      size_t workSpaceSizeInBytes, void*, size_t reserveSpaceSizeInBytes,
                                      void*) {
  int status = run(weights_schema, handle, attnDesc,
                   {weightSizeInBytes, workSpaceSizeInBytes, reserveSpaceSizeInBytes});
  if (status == kSuccess) written(dweights);
  return status;
}

}  // extern "C"
