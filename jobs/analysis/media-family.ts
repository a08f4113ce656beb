import { type FileTypeOptions, fileTypeFromTokenizer } from 'file-type'
import { fromFile } from 'strtok3'
import { findContainer } from './chunk-layouts.ts'
import { type FileWindow, openFileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'
import { findMpegSound } from './mpeg-frames.ts'

/** Audio formats as detected from the bytes of a file, independent of its name and declared type. */
export type MediaFamily = ChunkedFamily | 'mp3' | 'flac' | 'mp4' | 'aac' | 'ogg' | 'webm'

/** The families of chunks with samples that are, with few exceptions, not compressed. */
type ChunkedFamily = 'wav' | 'aiff'

export const isChunked = (family: MediaFamily): family is ChunkedFamily =>
  family === 'wav' || family === 'aiff'

const familiesByDeclaredType: Readonly<Record<string, readonly MediaFamily[]>> = {
  'audio/mpeg': ['mp3'],
  'audio/mp3': ['mp3'],
  'audio/wav': ['wav'],
  'audio/x-wav': ['wav'],
  'audio/wave': ['wav'],
  'audio/vnd.wave': ['wav'],
  'audio/flac': ['flac', 'ogg'],
  'audio/x-flac': ['flac', 'ogg'],
  'audio/aiff': ['aiff'],
  'audio/x-aiff': ['aiff'],
  'audio/mp4': ['mp4'],
  'audio/x-m4a': ['mp4'],
  'audio/aac': ['aac', 'mp4'],
  'audio/ogg': ['ogg'],
  'audio/opus': ['ogg'],
  'audio/webm': ['webm'],
}

const familiesBySniffedExtension: Readonly<Record<string, MediaFamily>> = {
  mp3: 'mp3',
  flac: 'flac',
  m4a: 'mp4',
  m4b: 'mp4',
  mp4: 'mp4',
  mov: 'mp4',
  '3gp': 'mp4',
  aac: 'aac',
  webm: 'webm',
  mkv: 'webm',
}

/** The media type under which a file of each family is stored. */
export const mediaTypesByFamily: Readonly<Record<MediaFamily, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  aiff: 'audio/aiff',
  mp4: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
}

const detectSignature = (file: FileWindow): MediaFamily | null => {
  const start = findId3End(file)
  const container = findContainer(file, start)
  if (container) return container.layout.format === 'aiff' ? 'aiff' : 'wav'
  // Whatever its first stream is.
  return file.readHeader(start, 4).toString('latin1') === 'OggS' ? 'ogg' : null
}

interface DetectedMedia {
  /** Null for anything but supported audio. */
  readonly family: MediaFamily | null
  /** Null for an unknown type. */
  readonly mediaType: string | null
}

/** Detects the type of a file from its first bytes. */
export const detectMedia = async (path: string, file: FileWindow): Promise<DetectedMedia> => {
  const family = detectSignature(file)
  if (family) return { family, mediaType: mediaTypesByFamily[family] }
  const type = await detectFileType(path)
  if (type) return { family: familiesBySniffedExtension[type.ext] ?? null, mediaType: type.mime }
  return findMpegSound(file)
    ? { family: 'mp3', mediaType: mediaTypesByFamily.mp3 }
    : { family: null, mediaType: null }
}

/** Detects the family of a file. Returns null for anything but supported audio. */
export const detectFamily = async (path: string): Promise<MediaFamily | null> => {
  const file = openFileWindow(path)
  try {
    return (await detectMedia(path, file)).family
  } finally {
    file.close()
  }
}

/** Whether a file of this family may have been declared as this media type. */
export const canBeDeclaredAs = (family: MediaFamily, contentType: string) =>
  familiesByDeclaredType[storedTypeOf(contentType)]?.includes(family) ?? false

/** The media type of a file that was declared as `declared`: that one if it is a name of what was detected. */
export const mediaTypeOfFamily = (family: MediaFamily, declared: string) => {
  const contentType = storedTypeOf(declared)
  const detected = mediaTypesByFamily[family]
  const named = familiesByDeclaredType[contentType]?.[0]
  return named !== undefined && mediaTypesByFamily[named] === detected ? contentType : detected
}

// The names of these types that an upload may have, but that the core does not know.
const storedTypes: Readonly<Record<string, string>> = {
  'audio/m4a': 'audio/mp4',
  'audio/x-m4b': 'audio/mp4',
  'audio/x-aifc': 'audio/aiff',
  'video/mp4': 'audio/mp4',
  'video/webm': 'audio/webm',
  'text/rtf': 'application/rtf',
  'image/apng': 'image/png',
}

/** The media type under which a file is stored that was declared as this one and is of that type. */
export const storedTypeOf = (declared: string) => storedTypes[declared] ?? declared

/**
 * Detects the type of a file from its first bytes; undefined if it is none that is known. Unlike `fileTypeFromFile`, which
 * loads a package by a name that bundlers do not see, this works in a bundle.
 */
export const detectFileType = async (path: string, options?: FileTypeOptions) =>
  fileTypeFromTokenizer(await fromFile(path, { regularFileOnly: true }), options)
