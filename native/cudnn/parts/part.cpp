// A part of cuDNN 9, of which our libcudnn.so.9 has all functions. Libraries that were linked with the parts
// (Transformer Engine) need one of each name.
