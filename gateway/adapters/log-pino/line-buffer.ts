// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
const zero = 0x30
const point = 0x2e

/**
 * Bytes to which the parts of a line are appended one by one. To join them to a string first would allocate, flatten and copy
 * the line.
 */
export class LineBuffer {
  length = 0
  readonly bytes: Buffer

  constructor(maxBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(maxBytes)
  }

  /** Appends ASCII characters; others are corrupted. */
  text(text: string) {
    this.length += this.bytes.write(text, this.length, 'latin1')
  }

  encoded(part: Uint8Array) {
    this.bytes.set(part, this.length)
    this.length += part.length
  }

  /** Appends a number that is not negative, rounded to two decimal places; zeros at the end are left out. */
  number(value: number) {
    const hundredths = Math.round(value * 100)
    if (!Number.isSafeInteger(hundredths)) return this.text(String(value))
    const decimals = hundredths % 100
    this.#integer((hundredths - decimals) / 100)
    if (decimals === 0) return
    this.#byte(point)
    this.#byte(zero + Math.floor(decimals / 10))
    if (decimals % 10 !== 0) this.#byte(zero + (decimals % 10))
  }

  #integer(value: number) {
    if (value >= 10) this.#integer(Math.floor(value / 10))
    this.#byte(zero + (value % 10))
  }

  #byte(byte: number) {
    this.bytes[this.length++] = byte
  }
}
