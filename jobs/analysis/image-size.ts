import { imageSizeFromFile } from 'image-size/fromFile'
import { type FileWindow, openFileWindow } from './file-window.ts'
import { readHeifSize } from './heif-size.ts'
import { rethrowSystemError } from './system-error.ts'

interface ImageSize {
  readonly width: number
  readonly height: number
}

// EXIF orientations from 5 up swap the width and the height.
const orient = ({ width, height }: ImageSize, orientation: number) =>
  orientation >= 5 ? { width: height, height: width } : { width, height }

interface TiffImage {
  readonly size: ImageSize | null
  readonly orientation: number
}

const maxTiffEntries = 1000
const tiffTags = { width: 256, height: 257, orientation: 274 }

/** Reads the first directory of a TIFF file that begins at `start`, or of EXIF data, which has the same structure. */
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
