/**
 * Splits the input of a decoder. The bytes before the audio form one piece, because the decoder copies everything it
 * has received until the audio starts. The audio is split into small pieces, so that the decoded samples of each fit
 * into memory. The decoders align samples by `slice()`, which copies the bytes of a Uint8Array but not those of a
 * Buffer.
 */
export async function* splitIntoPieces(
  source: AsyncIterable<Uint8Array>,
  headBytes: number,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let required = Math.max(headBytes, 1)
  let isHead = headBytes > 0
  for await (const chunk of source) {
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes < required) continue
    const bytes = new Uint8Array(Buffer.concat(pending))
    let offset = 0
    if (isHead) {
      yield bytes.subarray(0, headBytes)
      offset = headBytes
      isHead = false
      required = pieceBytes
    }
    for (; bytes.length - offset > pieceBytes; offset += pieceBytes)
      yield bytes.subarray(offset, offset + pieceBytes)
    pending = [bytes.subarray(offset)]
    pendingBytes = bytes.length - offset
  }
  if (pendingBytes > 0) yield new Uint8Array(Buffer.concat(pending))
}
