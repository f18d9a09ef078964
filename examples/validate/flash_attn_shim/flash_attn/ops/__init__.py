"""Operations of flash-attn."""
