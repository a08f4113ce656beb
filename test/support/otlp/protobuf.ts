type Field = number | bigint | Buffer

/** A protobuf message's values by field number. A 64-bit value is a bigint. */
export type Message = ReadonlyMap<number, readonly Field[]>

/** Reads a message in protobuf's wire format. Throws if it is malformed. */
export const readMessage = (bytes: Buffer): Message => {
  const fields = new Map<number, Field[]>()
  let at = 0
  const readVarint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at)
      at += 1
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const readValue = (wireType: number): Field => {
    if (wireType === 0) return Number(readVarint())
    if (wireType === 1) {
      at += 8
      return bytes.readBigUInt64LE(at - 8)
    }
    if (wireType === 5) {
      at += 4
      return bytes.readUInt32LE(at - 4)
    }
    if (wireType !== 2) throw new Error(`unknown wire type ${wireType}`)
    const length = Number(readVarint())
    if (at + length > bytes.length) throw new Error('the message is truncated')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(readVarint())
    const values = fields.get(tag >> 3) ?? []
    values.push(readValue(tag & 7))
    fields.set(tag >> 3, values)
  }
  return fields
}

export const bytesIn = (message: Message, field: number) =>
  (message.get(field) ?? []).filter((value): value is Buffer => value instanceof Buffer)

export const messagesIn = (message: Message, field: number) => bytesIn(message, field).map(readMessage)

export const textIn = (message: Message, field: number) => bytesIn(message, field)[0]?.toString() ?? ''

export const hexIn = (message: Message, field: number) => bytesIn(message, field)[0]?.toString('hex') ?? ''

export const numberIn = (message: Message, field: number) => Number(message.get(field)?.[0] ?? 0)

const toDouble = (bits: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(bits)
  return bytes.readDoubleLE()
}

export const doubleIn = (message: Message, field: number) =>
  toDouble(BigInt(message.get(field)?.[0]?.toString() ?? 0))

const fixed64In = (message: Message, field: number) =>
  bytesIn(message, field).flatMap((packed) =>
    Array.from({ length: packed.length / 8 }, (_, index) => packed.readBigUInt64LE(8 * index)),
  )

/** The numbers in a packed field of `fixed64` or `double`. */
export const packedIn = (message: Message, field: number, type: 'fixed64' | 'double') =>
  fixed64In(message, field).map((bits) => (type === 'double' ? toDouble(bits) : Number(bits)))
