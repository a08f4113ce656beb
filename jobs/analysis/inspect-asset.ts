import { open } from 'node:fs/promises'
import type { Failure } from '#db/queries/failure.ts'
import { detectFileType } from './detect-file-type.ts'
import { readImageSize } from './image-size.ts'
import { isStorable } from './stored-integer.ts'

/** The result of inspecting an image or a document. */
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
const impossibleSize: AssetInspection = {
  failure: {
    code: 'image_size_impossible',
    message: 'The image states a width or height that no image has.',
  },
  width: null,
  height: null,
}
const valid: AssetInspection = { failure: null, width: null, height: null }

// Types that share a container or have two names.
const equivalentTypes: Readonly<Record<string, readonly string[]>> = {
  'image/heic': ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  'image/heif': ['image/heic', 'image/heic-sequence', 'image/heif-sequence'],
  'image/png': ['image/apng'],
  'application/msword': ['application/x-cfb'],
  'application/vnd.ms-excel': ['application/x-cfb'],
  'application/vnd.ms-powerpoint': ['application/x-cfb'],
}

const readFirstBytes = async (path: string) => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const textBasedFormats = new Set([
  'application/eps',
  'application/pdf',
  'application/postscript',
  'application/rtf',
])

// With or without a UTF-8 byte order mark.
const startsWithPrintable = (bytes: Buffer) => /^(?:\xef\xbb\xbf)?[!-~]/.test(bytes.toString('latin1', 0, 4))

const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32)

// Text has no signature but may start with that of a binary format, such as `BM` (BMP) or `FORM` (AIFF). Files of those
// formats also contain control characters.
const isText = (bytes: Buffer, sniffed: string | undefined) =>
  sniffed === undefined
    ? !bytes.includes(0)
    : !textBasedFormats.has(sniffed) && startsWithPrintable(bytes) && !bytes.some(isControl)

const inspectImage = async (path: string, contentType: string): Promise<AssetInspection> => {
  const size = await readImageSize(path, contentType)
  if (!size) return valid
  return isStorable(size.width) && isStorable(size.height) ? { failure: null, ...size } : impossibleSize
}

/** Checks that artwork or a document is of its declared type, and reads the size of an image. */
export const inspectAsset = async (path: string, contentType: string): Promise<AssetInspection> => {
  const sniffed = (await detectFileType(path))?.mime
  if (contentType.startsWith('text/')) return isText(await readFirstBytes(path), sniffed) ? valid : mismatch
  if (sniffed === undefined) return mismatch
  if (sniffed !== contentType && !equivalentTypes[contentType]?.includes(sniffed)) return mismatch
  return contentType.startsWith('image/') ? inspectImage(path, contentType) : valid
}
