const interimStatus = Buffer.from('HTTP/1.1 1')
const version = Buffer.from('HTTP/1.')
const endOfHead = '\r\n\r\n'
const longestHead = 16_384

interface Remainder {
  /** Bytes from the final head on, or null while none has come. */
  readonly final: Buffer | null
  /** Bytes that may be the start of another interim head. */
  readonly undecided: Buffer | null
  /** False for what is no answer in HTTP/1, or an interim head without an end. */
  readonly sound: boolean
}

const isPrefix = (bytes: Buffer, wanted: Buffer) => {
  const compared = Math.min(bytes.length, wanted.length)
  return bytes.compare(wanted, 0, compared, 0, compared) === 0
}

const interimStatusLine = /^HTTP\/1\.1 1[0-9]{2}[ \r]/

// What only begins like one is left to the parser, which refuses it.
const isInterim = (head: Buffer) => interimStatusLine.test(head.toString('latin1', 0, 13))

// 101 hands the connection over and is no interim answer; the parser refuses it where nobody asked for it.
const isSwitchingProtocols = (bytes: Buffer) => bytes[10] === 0x30 && bytes[11] === 0x31

/** Cuts complete 1xx heads off the start of an answer. `bytes` start where a status line does. */
export const skipInterimHeads = (bytes: Buffer): Remainder => {
  let rest = bytes
  while (rest.length > 0 && isPrefix(rest, interimStatus)) {
    if (isSwitchingProtocols(rest)) return { final: rest, undecided: null, sound: true }
    const end = rest.indexOf(endOfHead)
    if (end === -1) return { final: null, undecided: rest, sound: rest.length < longestHead }
    if (!isInterim(rest)) return { final: rest, undecided: null, sound: true }
    rest = rest.subarray(end + endOfHead.length)
  }
  if (rest.length === 0) return { final: null, undecided: null, sound: true }
  return { final: rest, undecided: null, sound: isPrefix(rest, version) }
}
