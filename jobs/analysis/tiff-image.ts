import type { FileWindow } from './file-window.ts'

interface TiffImage {
  readonly size: { readonly width: number; readonly height: number } | null
  readonly orientation: number
}

const maxEntries = 1000
const tags = { width: 256, height: 257, orientation: 274 }

/** Reads the first directory of a TIFF file that begins at `start`, or of EXIF data, which has the same structure. */
export const readTiffImage = (file: FileWindow, start: number): TiffImage | null => {
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
  const count = Math.min(readUint(directory, 2), maxEntries)
  for (let entry = 0; entry < count; entry++) {
    const offset = directory + 2 + entry * 12
    // TIFF 6.0, section 2: type 3 is a 2-byte number, 4 a 4-byte one.
    values.set(readUint(offset, 2), readUint(offset + 8, readUint(offset + 2, 2) === 3 ? 2 : 4))
  }
  const [width, height] = [values.get(tags.width), values.get(tags.height)]
  return {
    size: width && height ? { width, height } : null,
    orientation: values.get(tags.orientation) ?? 1,
  }
}
