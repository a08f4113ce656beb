import type { Detector } from 'file-type'
import { detectFileType } from './detect-file-type.ts'

/** Audio formats as detected from the bytes of a file, independent of its name and declared type. */
export type MediaFamily = ChunkedFamily | 'mp3' | 'flac' | 'mp4' | 'aac' | 'ogg' | 'webm'

/** The families of chunks with samples that are, with few exceptions, not compressed. */
export type ChunkedFamily = 'wav' | 'rf64' | 'aiff'

export const isChunked = (family: MediaFamily): family is ChunkedFamily =>
  family === 'wav' || family === 'rf64' || family === 'aiff'

const familiesByDeclaredType: Readonly<Record<string, readonly MediaFamily[]>> = {
  'audio/mpeg': ['mp3'],
  'audio/mp3': ['mp3'],
  'audio/wav': ['wav', 'rf64'],
  'audio/x-wav': ['wav', 'rf64'],
  'audio/wave': ['wav', 'rf64'],
  'audio/vnd.wave': ['wav', 'rf64'],
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
  wav: 'wav',
  rf64: 'rf64',
  flac: 'flac',
  aif: 'aiff',
  m4a: 'mp4',
  m4b: 'mp4',
  mp4: 'mp4',
  mov: 'mp4',
  '3gp': 'mp4',
  aac: 'aac',
  ogg: 'ogg',
  oga: 'ogg',
  opus: 'ogg',
  webm: 'webm',
  mkv: 'webm',
}

const rf64: Detector = {
  id: 'rf64',
  async detect(tokenizer) {
    const header = Buffer.alloc(12)
    await tokenizer.peekBuffer(header, { mayBeLess: true })
    const isRf64 = /^(?:RF64|BW64).{4}WAVE/s.test(header.toString('latin1'))
    return isRf64 ? { ext: 'rf64', mime: 'audio/wav' } : undefined
  },
}

/** The media type under which a file of each family is stored. */
export const mediaTypesByFamily: Readonly<Record<MediaFamily, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  rf64: 'audio/wav',
  flac: 'audio/flac',
  aiff: 'audio/aiff',
  mp4: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
}

/** Detects the family from the first bytes of a file. Returns null for anything but supported audio. */
export const detectFamily = async (path: string): Promise<MediaFamily | null> => {
  const type = await detectFileType(path, { customDetectors: [rf64] })
  return (type && familiesBySniffedExtension[type.ext]) ?? null
}

/** Whether a file of this family may have been declared as this media type. */
export const canBeDeclaredAs = (family: MediaFamily, contentType: string) =>
  familiesByDeclaredType[contentType]?.includes(family) ?? false

/** The media type of a file that was declared as `contentType`: the declared one if it is a name of what was detected. */
export const mediaTypeOfFamily = (family: MediaFamily, contentType: string) => {
  const detected = mediaTypesByFamily[family]
  const named = familiesByDeclaredType[contentType]?.[0]
  return named !== undefined && mediaTypesByFamily[named] === detected ? contentType : detected
}
