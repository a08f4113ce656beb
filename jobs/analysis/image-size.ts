import { imageSizeFromFile } from 'image-size/fromFile'
import { type FileWindow, openFileWindow } from './file-window.ts'
import { rethrowSystemError } from './system-error.ts'

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

/** `ispe` states the size, `clap` crops it and `irot` rotates it. Others, such as `imir`, do not change it. */
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

/** ISO/IEC 23008-12, section 6.5: the displayed size of the primary image. */
const readHeifSize = (file: FileWindow) => {
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

interface ImageSize {
  readonly width: number
  readonly height: number
}

const orient = ({ width, height }: ImageSize, orientation: number) =>
  orientation >= 5 ? { width: height, height: width } : { width, height }

interface TiffImage {
  readonly size: ImageSize | null
  readonly orientation: number
}

const maxTiffEntries = 1000
const tiffTags = { width: 256, height: 257, orientation: 274 }

const readTiffImage = (file: FileWindow, start: number): TiffImage | null => {
  const header = file.readHeader(start, 8)
  const order = header.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return null
  const readUint = (offset: number, bytes: 2 | 4) => {
    const field = file.readHeader(start + offset, bytes)
    return order === 'II' ? field.readUIntLE(0, bytes) : field.readUIntBE(0, bytes)
  }
  if (readUint(2, 2) !== 42) return null
  const directory = readUint(4, 4)
  const values = new Map<number, number>()
  const count = Math.min(readUint(directory, 2), maxTiffEntries)
  for (let entry = 0; entry < count; entry++) {
    const offset = directory + 2 + entry * 12
    // TIFF 6.0, section 2: type 3 is a 2-byte number, 4 a 4-byte one.
    values.set(readUint(offset, 2), readUint(offset + 8, readUint(offset + 2, 2) === 3 ? 2 : 4))
  }
  const [width, height] = [values.get(tiffTags.width), values.get(tiffTags.height)]
  return {
    size: width && height ? { width, height } : null,
    orientation: values.get(tiffTags.orientation) ?? 1,
  }
}

// Real files have far fewer, because a segment holds up to 64 KiB.
const maxSegments = 65_536

const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
// ITU T.81, table B.1: the other markers in this range do not start a frame.
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const readExifOrientation = (file: FileWindow, offset: number) =>
  file.readHeader(offset + 4, 6).toString('latin1') === 'Exif\0\0'
    ? (readTiffImage(file, offset + 10)?.orientation ?? 1)
    : 1

const readJpegSize = (file: FileWindow): ImageSize | null => {
  let offset = 2
  let orientation = 1
  for (let segment = 0; segment < maxSegments && offset + 4 <= file.fileSize; segment++) {
    const header = file.readHeader(offset, 9)
    const marker = header.readUInt8(1)
    if (header.readUInt8(0) !== 0xff) return null
    if (isFrameHeader(marker)) {
      const size = { height: header.readUInt16BE(5), width: header.readUInt16BE(7) }
      return orient(size, orientation)
    }
    const length = header.readUInt16BE(2)
    if (marker === 0xe1 && orientation === 1) orientation = readExifOrientation(file, offset)
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) offset += 1
    else offset += hasNoLength(marker) ? 2 : 2 + length
  }
  return null
}

const readTiffSize = (file: FileWindow) => {
  const image = readTiffImage(file, 0)
  return image?.size ? orient(image.size, image.orientation) : null
}

const readersByType: Readonly<Record<string, (file: FileWindow) => ImageSize | null>> = {
  'image/jpeg': readJpegSize,
  'image/tiff': readTiffSize,
  'image/heic': readHeifSize,
  'image/heif': readHeifSize,
  'image/avif': readHeifSize,
}

const readOwnSize = (path: string, contentType: string) => {
  const read = readersByType[contentType]
  if (!read) return null
  const file = openFileWindow(path)
  try {
    return read(file)
  } finally {
    file.close()
  }
}

/**
 * Reads an image's displayed size. Some types are read without the library, which reads only the first 512 KiB and
 * ignores HEIF's rotation.
 */
export const readImageSize = async (path: string, contentType: string): Promise<ImageSize | null> => {
  const own = readOwnSize(path, contentType)
  if (own && own.width > 0 && own.height > 0) return own
  const size = await imageSizeFromFile(path).catch(rethrowSystemError)
  return size ? orient(size, size.orientation ?? 1) : null
}
