import type { FileWindow } from './file-window.ts'

interface Box {
  readonly type: string
  readonly body: number
  readonly end: number
}

// limits the work for a file of tiny boxes
const maxBoxes = 10_000

const listBoxes = (file: FileWindow, start: number, end: number): readonly Box[] => {
  const boxes: Box[] = []
  for (let offset = start; offset + 8 <= end && boxes.length < maxBoxes; ) {
    const header = file.readHeader(offset, 16)
    const short = header.readUInt32BE(0)
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? end - offset : short
    const headerBytes = short === 1 ? 16 : 8
    if (size < headerBytes) break
    const boxEnd = Math.min(offset + size, end)
    boxes.push({
      type: header.toString('latin1', 4, 8),
      body: offset + headerBytes,
      end: boxEnd,
    })
    offset += size
  }
  return boxes
}

const findBox = (boxes: readonly Box[], type: string) => boxes.find((box) => box.type === type)

const readPrimaryItem = (file: FileWindow, { body }: Box) => {
  const header = file.readHeader(body, 8)
  return header.readUInt8(0) === 0 ? header.readUInt16BE(4) : header.readUInt32BE(4)
}

const findProperties = (file: FileWindow, { body, end }: Box, itemId: number): readonly number[] => {
  const header = file.readHeader(body, 8)
  const idBytes = header.readUInt8(0) === 0 ? 2 : 4
  const isLong = (header.readUInt8(3) & 1) !== 0
  const count = Math.min(header.readUInt32BE(4), maxBoxes)
  let offset = body + 8
  for (let entry = 0; entry < count && offset < end; entry++) {
    const head = file.readHeader(offset, idBytes + 1)
    const [id, associations] = [head.readUIntBE(0, idBytes), head.readUInt8(idBytes)]
    offset += idBytes + 1
    const bytes = isLong ? 2 : 1
    // The first bit says whether the property is essential.
    const mask = isLong ? 0x7fff : 0x7f
    if (id === itemId) {
      const table = file.readHeader(offset, associations * bytes)
      return Array.from({ length: associations }, (_, index) => table.readUIntBE(index * bytes, bytes) & mask)
    }
    offset += associations * bytes
  }
  return []
}

/**
 * Applies one property to the size: `ispe` states it, `clap` crops it and `irot` rotates it. Others, such as `imir`, do
 * not change it.
 */
const applyProperty = (file: FileWindow, { type, body }: Box, size: { width: number; height: number }) => {
  const fields = file.readHeader(body, 16)
  if (type === 'ispe') return { width: fields.readUInt32BE(4), height: fields.readUInt32BE(8) }
  if (type === 'clap') {
    const width = Math.round(fields.readUInt32BE(0) / fields.readUInt32BE(4))
    const height = Math.round(fields.readUInt32BE(8) / fields.readUInt32BE(12))
    return width > 0 && width <= size.width && height > 0 && height <= size.height ? { width, height } : size
  }
  const isTurned = type === 'irot' && (fields.readUInt8(0) & 1) !== 0
  return isTurned ? { width: size.height, height: size.width } : size
}

/** Reads the displayed size of the primary image in a HEIF file (HEIC or AVIF), as in ISO/IEC 23008-12, section 6.5. */
export const readHeifSize = (file: FileWindow) => {
  const meta = findBox(listBoxes(file, 0, file.fileSize), 'meta')
  const boxes = meta ? listBoxes(file, meta.body + 4, meta.end) : []
  const [pitm, iprp] = [findBox(boxes, 'pitm'), findBox(boxes, 'iprp')]
  if (!pitm || !iprp) return null
  const inIprp = listBoxes(file, iprp.body, iprp.end)
  const ipco = findBox(inIprp, 'ipco')
  if (!ipco) return null
  const properties = listBoxes(file, ipco.body, ipco.end)
  const itemId = readPrimaryItem(file, pitm)
  let size = { width: 0, height: 0 }
  for (const ipma of inIprp.filter(({ type }) => type === 'ipma'))
    for (const index of findProperties(file, ipma, itemId)) {
      const property = properties[index - 1]
      if (property) size = applyProperty(file, property, size)
    }
  return size.width > 0 ? size : null
}
