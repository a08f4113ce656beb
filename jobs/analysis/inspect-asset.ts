import { open } from 'node:fs/promises'
import type { Failure } from '#db/queries/jobs/failure.ts'
import { readImageSize } from './image-size.ts'
import { detectFileType, storedTypeOf } from './media-family.ts'
import { isStorable } from './stored-integer.ts'

export interface AssetInspection {
  readonly failure: Failure | null
  /** The file's media type, if it is not the declared one. */
  readonly contentType?: string
  readonly width: number | null
  readonly height: number | null
}

const mismatch: AssetInspection = {
  failure: { code: 'type_mismatch', message: "The file's type does not match its declared type." },
  width: null,
  height: null,
}
const impossibleSize: AssetInspection = {
  failure: {
    code: 'image_size_impossible',
    message: 'The image claims an impossible width or height.',
  },
  width: null,
  height: null,
}
const valid: AssetInspection = { failure: null, width: null, height: null }

const equivalentTypes: Readonly<Record<string, readonly string[]>> = {
  'image/heic': ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  'image/heif': ['image/heic', 'image/heic-sequence', 'image/heif-sequence'],
  'image/png': ['image/apng'],
  'application/msword': ['application/x-cfb'],
  'application/vnd.ms-excel': ['application/x-cfb'],
  'application/vnd.ms-powerpoint': ['application/x-cfb'],
}

const readFirstBytes = async (path: string) => {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, 0)
  return buffer.subarray(0, bytesRead)
}

const textBasedFormats = new Set([
  'application/eps',
  'application/pdf',
  'application/postscript',
  'application/rtf',
])

// with or without a UTF-8 byte order mark
const startsWithPrintable = (bytes: Buffer) => /^(?:\xef\xbb\xbf)?[!-~]/.test(bytes.toString('latin1', 0, 4))

const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32)

const isUtf16 = (bytes: Buffer) => ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2))

// `stream` allows the bytes to end in the middle of a character.
const isUtf16Text = (bytes: Buffer) => {
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
    return !Array.from(text).some((character) => isControl(character.codePointAt(0) ?? 0))
  } catch {
    return false
  }
}

// Text has no signature, but it may start like a binary format, for example with `BM` (BMP) or `FORM` (AIFF). Files in
// those formats also contain control characters.
const isText = (bytes: Buffer, sniffed: string | undefined) => {
  if (isUtf16(bytes)) return isUtf16Text(bytes)
  return sniffed === undefined
    ? !bytes.includes(0)
    : !textBasedFormats.has(sniffed) && startsWithPrintable(bytes) && !bytes.some(isControl)
}

// Some programs write Excel tables as HTML or XML.
const isMarkup = (bytes: Buffer) =>
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(bytes.toString('latin1'))

const excel = 'application/vnd.ms-excel'
// Readers look for a PDF's start within this many bytes, because printers and mail programs prepend lines.
const pdfStartBytes = 1024
const isPdf = (bytes: Buffer) => bytes.subarray(0, pdfStartBytes).includes('%PDF')

const detectType = async (path: string, declared: string) => {
  const sniffed = (await detectFileType(path))?.mime
  const bytes = await readFirstBytes(path)
  if (declared.startsWith('text/')) return isText(bytes, sniffed) ? declared : null
  if (declared === 'application/pdf') return isPdf(bytes) ? declared : null
  if (sniffed === declared || (sniffed && equivalentTypes[declared]?.includes(sniffed))) return declared
  // If Excel is installed, browsers on Windows report Excel's type for CSV.
  return declared === excel && isText(bytes, sniffed) && !isMarkup(bytes) ? 'text/csv' : null
}

const inspectImage = async (path: string, contentType: string): Promise<AssetInspection> => {
  const size = await readImageSize(path, contentType)
  if (!size) return valid
  return isStorable(size.width) && isStorable(size.height) ? { failure: null, ...size } : impossibleSize
}

export const inspectAsset = async (path: string, declared: string): Promise<AssetInspection> => {
  const contentType = await detectType(path, storedTypeOf(declared))
  if (contentType === null) return mismatch
  const inspection = contentType.startsWith('image/') ? await inspectImage(path, contentType) : valid
  return contentType === declared ? inspection : { ...inspection, contentType }
}
