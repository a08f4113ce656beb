/**
 * Finds the final head in the bytes of a response, as undici 8.12.4 accepts no `100 Continue` that it did not ask for
 * (see core-connection.ts, which applies this to what undici reads).
 */
const interimStatus = Buffer.from('HTTP/1.1 1')
const version = Buffer.from('HTTP/1.')
const endOfHead = '\r\n\r\n'
const maxHeadBytes = 16_384

interface Remainder {
  /** Bytes from the final head on, or null while none has arrived. */
  readonly final: Buffer | null
  /** Bytes that may be the start of another interim head. */
  readonly undecided: Buffer | null
  /** False for bytes that are not HTTP/1, and for an interim head without an end. */
  readonly isValid: boolean
}

const isPrefix = (bytes: Buffer, wanted: Buffer) => {
  const compared = Math.min(bytes.length, wanted.length)
  return bytes.compare(wanted, 0, compared, 0, compared) === 0
}

const interimStatusLine = /^HTTP\/1\.1 1[0-9]{2}[ \r]/

// A status such as 1000 is left to the parser, which rejects it.
const isInterim = (head: Buffer) => interimStatusLine.test(head.toString('latin1', 0, 13))

// 101 changes the protocol and is final for HTTP; the parser rejects it where no upgrade was requested.
const isSwitchingProtocols = (bytes: Buffer) => bytes[10] === 0x30 && bytes[11] === 0x31

/** Skips complete 1xx heads at the start of a response. `bytes` begin where a status line does. */
export const skipInterimHeads = (bytes: Buffer): Remainder => {
  let rest = bytes
  while (rest.length > 0 && isPrefix(rest, interimStatus)) {
    if (isSwitchingProtocols(rest)) return { final: rest, undecided: null, isValid: true }
    const end = rest.indexOf(endOfHead)
    if (end === -1) return { final: null, undecided: rest, isValid: rest.length < maxHeadBytes }
    if (!isInterim(rest)) return { final: rest, undecided: null, isValid: true }
    rest = rest.subarray(end + endOfHead.length)
  }
  if (rest.length === 0) return { final: null, undecided: null, isValid: true }
  return { final: rest, undecided: null, isValid: isPrefix(rest, version) }
}
