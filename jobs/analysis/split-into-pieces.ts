import { findFlacPieceEnd, flacHeaderBytes } from './flac-header.ts'

interface PieceOptions {
  /** How much comes first, in one piece whatever its size. */
  readonly headBytes: number
  readonly pieceBytes: number
  /** Whether no piece may end inside the header of a FLAC frame. */
  readonly keepsFlacHeaders?: boolean
}

/**
 * Splits what a decoder is given. It gets what stands in front of the sound at once, for it copies all it has got until
 * the sound begins, and the sound in small pieces, so that none expands to more than fits into memory. The decoders align
 * samples by `slice()`, which copies the bytes of a Uint8Array and does not copy those of a Buffer.
 */
export async function* splitIntoPieces(
  source: AsyncIterable<Uint8Array>,
  { headBytes, pieceBytes, keepsFlacHeaders = false }: PieceOptions,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let required = Math.max(headBytes, 1)
  let isHead = headBytes > 0
  for await (const chunk of source) {
    waiting.push(chunk)
    waitingBytes += chunk.length
    if (waitingBytes < required) continue
    const bytes = new Uint8Array(Buffer.concat(waiting))
    let at = 0
    if (isHead) {
      yield bytes.subarray(0, headBytes)
      at = headBytes
      isHead = false
      required = pieceBytes
    }
    while (bytes.length - at > pieceBytes + flacHeaderBytes) {
      const end = at + pieceBytes
      const pieceEnd = keepsFlacHeaders ? findFlacPieceEnd(bytes, at, end) : end
      yield bytes.subarray(at, pieceEnd)
      at = pieceEnd
    }
    waiting = [bytes.subarray(at)]
    waitingBytes = bytes.length - at
  }
  if (waitingBytes > 0) yield new Uint8Array(Buffer.concat(waiting))
}
