import { fileTypeFromFile } from 'file-type'

/** Kinds of audio file as they are told apart by their bytes, whatever anybody calls them. */
export type MediaFamily = 'mp3' | 'wav' | 'flac' | 'aiff' | 'mp4' | 'aac' | 'ogg' | 'webm'

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
  wav: 'wav',
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

/** What the first bytes of a file say it is; null for anything that is no audio this service takes. */
export const sniffFamily = async (path: string): Promise<MediaFamily | null> => {
  const type = await fileTypeFromFile(path)
  return (type && familiesBySniffedExtension[type.ext]) ?? null
}

/** Whether a file of this family may have been declared as this media type. */
export const mayBeDeclaredAs = (family: MediaFamily, contentType: string) =>
  familiesByDeclaredType[contentType]?.includes(family) ?? false
