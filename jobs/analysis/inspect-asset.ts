import { open } from 'node:fs/promises'
import { fileTypeFromFile } from 'file-type'
import { imageSizeFromFile } from 'image-size/fromFile'
import type { Failure } from '#db/queries/failure.ts'

/** What became of a look at an image or a document. */
export interface AssetInspection {
  readonly failure: Failure | null
  readonly width: number | null
  readonly height: number | null
}

const mismatch: AssetInspection = {
  failure: { code: 'type_mismatch', message: 'The file is not of the type that it was declared to be.' },
  width: null,
  height: null,
}
const sound: AssetInspection = { failure: null, width: null, height: null }

// Types that share a container, or that are the same under two names.
const equivalents: Readonly<Record<string, readonly string[]>> = {
  'image/heic': ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  'image/heif': ['image/heic', 'image/heic-sequence', 'image/heif-sequence'],
  'image/png': ['image/apng'],
  'application/msword': ['application/x-cfb'],
  'application/vnd.ms-excel': ['application/x-cfb'],
  'application/vnd.ms-powerpoint': ['application/x-cfb'],
}

const firstBytes = async (path: string) => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const formatsWrittenAsText = new Set([
  'application/eps',
  'application/pdf',
  'application/postscript',
  'application/rtf',
])

// With the mark of UTF-8 before them or without.
const beginsWithLetters = (bytes: Buffer) => /^(?:\xef\xbb\xbf)?[!-~]/.test(bytes.toString('latin1', 0, 4))

const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32)

// Text has no mark of its own, but may begin with that of a format: BMI as images do, FORM as AIFF. What such a mark
// stands for has control characters besides.
const isText = (bytes: Buffer, mark: string | undefined) =>
  mark === undefined
    ? !bytes.includes(0)
    : !formatsWrittenAsText.has(mark) && beginsWithLetters(bytes) && !bytes.some(isControl)

const sizeOf = async (path: string) => {
  const size = await imageSizeFromFile(path).catch(() => null)
  if (!size) return { width: null, height: null }
  // EXIF orientations from 5 on lie on their side.
  const isTurned = (size.orientation ?? 1) >= 5
  return isTurned ? { width: size.height, height: size.width } : { width: size.width, height: size.height }
}

/** Judges artwork or a document by its bytes. */
export const inspectAsset = async (path: string, contentType: string): Promise<AssetInspection> => {
  const sniffed = (await fileTypeFromFile(path))?.mime
  if (contentType.startsWith('text/')) return isText(await firstBytes(path), sniffed) ? sound : mismatch
  if (sniffed === undefined) return mismatch
  if (sniffed !== contentType && !equivalents[contentType]?.includes(sniffed)) return mismatch
  return contentType.startsWith('image/') ? { failure: null, ...(await sizeOf(path)) } : sound
}
