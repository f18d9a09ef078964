// Descriptors of recurrent networks and of their data.
#include <algorithm>

#include "gen/cudnn.h"
#include "rnn.h"

using namespace maya::cudnn;

namespace {

constexpr int kSequenceLengths = 1;

}  // namespace

extern "C" {

int cudnnCreateRNNDescriptor(void** rnnDesc) {
  return create<RnnDesc>(rnnDesc);
}
int cudnnDestroyRNNDescriptor(void* rnnDesc) {
  return destroy<RnnDesc>(rnnDesc);
}
int cudnnCreateRNNDataDescriptor(void** rnnDataDesc) {
  return create<RnnDataDesc>(rnnDataDesc);
}
int cudnnDestroyRNNDataDescriptor(void* rnnDataDesc) {
  return destroy<RnnDataDesc>(rnnDataDesc);
}

int cudnnSetRNNDescriptor_v8(void* rnnDesc, int algo, int cellMode, int biasMode, int dirMode, int inputMode,
                             int dataType, int mathPrec, int mathType, int32_t inputSize, int32_t hiddenSize,
                             int32_t projSize, int32_t numLayers, void* dropoutDesc, uint32_t auxFlags) {
  if (cellMode < kRnnRelu || cellMode > kGru) return fail(kBadParam, "unknown cell");
  if (inputSize < 1 || hiddenSize < 1 || numLayers < 1 || projSize < 0 || projSize > hiddenSize) {
    return fail(kBadParam, "sizes must be positive, and the projection no wider than the state");
  }
  if (projSize > 0 && projSize < hiddenSize && cellMode != kLstm) {
    return fail(kNotSupported, "only LSTM cells can be projected");
  }
  RnnDesc desc;
  desc.algorithm = algo;
  desc.cell = cellMode;
  desc.bias = biasMode;
  desc.bidirectional = dirMode;
  desc.input_mode = inputMode;
  desc.type = dataType;
  desc.math_precision = mathPrec;
  desc.math_type = mathType;
  desc.input = inputSize;
  desc.hidden = hiddenSize;
  desc.projection = projSize;
  desc.layers = numLayers;
  desc.dropout = dropoutDesc;
  desc.flags = auxFlags;
  return assign(rnnDesc, desc);
}

int cudnnGetRNNDescriptor_v8(void* rnnDesc, int* algo, int* cellMode, int* biasMode, int* dirMode,
                             int* inputMode, int* dataType, int* mathPrec, int* mathType, int32_t* inputSize,
                             int32_t* hiddenSize, int32_t* projSize, int32_t* numLayers, void** dropoutDesc,
                             uint32_t* auxFlags) {
  RnnDesc desc;
  if (!load(rnnDesc, &desc)) return fail(kBadParam, "not a set RNN descriptor");
  store(algo, desc.algorithm);
  store(cellMode, desc.cell);
  store(biasMode, desc.bias);
  store(dirMode, desc.bidirectional);
  store(inputMode, desc.input_mode);
  store(dataType, desc.type);
  store(mathPrec, desc.math_precision);
  store(mathType, desc.math_type);
  store(inputSize, desc.input);
  store(hiddenSize, desc.hidden);
  store(projSize, desc.projection);
  store(numLayers, desc.layers);
  store(dropoutDesc, desc.dropout);
  store(auxFlags, desc.flags);
  return kSuccess;
}

int cudnnRNNSetClip_v8(void* rnnDesc, int clipMode, int clipNanOpt, double lclip, double rclip) {
  RnnDesc desc;
  if (!load(rnnDesc, &desc)) return fail(kBadParam, "not a set RNN descriptor");
  desc.clip_mode = clipMode;
  desc.clip_nan = clipNanOpt;
  desc.clip_low = lclip;
  desc.clip_high = rclip;
  return assign(rnnDesc, desc);
}

int cudnnRNNSetClip_v9(void* rnnDesc, int clipMode, double lclip, double rclip) {
  return cudnnRNNSetClip_v8(rnnDesc, clipMode, 0, lclip, rclip);
}

int cudnnRNNGetClip_v8(void* rnnDesc, int* clipMode, int* clipNanOpt, double* lclip, double* rclip) {
  RnnDesc desc;
  if (!load(rnnDesc, &desc)) return fail(kBadParam, "not a set RNN descriptor");
  store(clipMode, desc.clip_mode);
  store(clipNanOpt, desc.clip_nan);
  store(lclip, desc.clip_low);
  store(rclip, desc.clip_high);
  return kSuccess;
}

int cudnnRNNGetClip_v9(void* rnnDesc, int* clipMode, double* lclip, double* rclip) {
  return cudnnRNNGetClip_v8(rnnDesc, clipMode, nullptr, lclip, rclip);
}

int cudnnSetRNNDataDescriptor(void* rnnDataDesc, int dataType, int layout, int maxSeqLength, int batchSize,
                              int vectorSize, const int* seqLengthArray, void*) {
  if (maxSeqLength < 1 || batchSize < 1 || vectorSize < 1) return fail(kBadParam, "sizes must be positive");
  if (!seqLengthArray) return fail(kBadParamNullPointer, "seqLengthArray == nullptr");
  RnnDataDesc desc{dataType, layout, maxSeqLength, batchSize, vectorSize, 0};
  for (int i = 0; i < batchSize; ++i) {
    if (seqLengthArray[i] < 0 || seqLengthArray[i] > maxSeqLength)
      return fail(kBadParam, "sequence too long");
    desc.total_length += seqLengthArray[i];
  }
  int status = assign(rnnDataDesc, desc);
  if (status == kSuccess) {
    maya::set_attribute(*find(rnnDataDesc, kRnnDataObject), kSequenceLengths, seqLengthArray,
                        sizeof(int) * static_cast<size_t>(batchSize));
  }
  return status;
}

int cudnnGetRNNDataDescriptor(void* rnnDataDesc, int* dataType, int* layout, int* maxSeqLength,
                              int* batchSize, int* vectorSize, int arrayLengthRequested, int* seqLengthArray,
                              void*) {
  RnnDataDesc desc;
  if (!load(rnnDataDesc, &desc)) return fail(kBadParam, "not a set RNN data descriptor");
  store(dataType, desc.type);
  store(layout, desc.layout);
  store(maxSeqLength, desc.max_length);
  store(batchSize, desc.batch);
  store(vectorSize, desc.vector);
  auto* lengths = maya::get_attribute(*find(rnnDataDesc, kRnnDataObject), kSequenceLengths);
  if (seqLengthArray && lengths) {
    int count = std::min(std::max(arrayLengthRequested, 0), desc.batch);
    std::copy_n(reinterpret_cast<const int*>(lengths->data()), count, seqLengthArray);
  }
  return kSuccess;
}

int cudnnBuildRNNDynamic(void* handle, void* rnnDesc, int miniBatch) {
  RnnDesc desc;
  if (!library(handle)) return kBadParam;
  if (!load(rnnDesc, &desc) || miniBatch < 1) return fail(kBadParam, "not a set RNN descriptor");
  return kSuccess;
}

}  // extern "C"
