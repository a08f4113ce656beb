import { fileTypeFromTokenizer } from 'file-type'
import { fromFile } from 'strtok3'
import {
  audioFormatOf,
  audioFormats,
  type MediaFamily,
  mediaFamilies,
} from '#contracts/shared/audio-formats.ts'
import type { contentTypeAliases } from '#contracts/shared/uploads.ts'
import { findContainer } from './chunk-layouts.ts'
import { type FileWindow, openFileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'
import { findMpegSound } from './mpeg-frames.ts'

const familiesByExtension: ReadonlyMap<string, MediaFamily> = new Map(
  mediaFamilies.flatMap((family) =>
    (audioFormatOf(family).detectedExtensions ?? []).map((extension) => [extension, family] as const),
  ),
)

/** Returns the type to store unless the file was declared with another of the family's types. */
export const mainTypeOf = (family: MediaFamily): string => audioFormats[family].types[0]

export const extensionOf = (family: MediaFamily): string =>
  audioFormatOf(family).detectedExtensions?.[0] ?? family

const detectSignature = (file: FileWindow): MediaFamily | null => {
  const start = findId3End(file)
  const container = findContainer(file, start)
  if (container) return container.layout.format === 'aiff' ? 'aiff' : 'wav'
  // Any Ogg file counts, even if its first stream is not sound.
  return file.readHeader(start, 4).toString('latin1') === 'OggS' ? 'ogg' : null
}

interface DetectedMedia {
  readonly family: MediaFamily | null
  readonly mediaType: string | null
}

export const detectMedia = async (path: string, file: FileWindow): Promise<DetectedMedia> => {
  const family = detectSignature(file)
  if (family) return { family, mediaType: mainTypeOf(family) }
  const type = await detectFileType(path)
  if (type) return { family: familiesByExtension.get(type.ext) ?? null, mediaType: type.mime }
  return findMpegSound(file)
    ? { family: 'mp3', mediaType: mainTypeOf('mp3') }
    : { family: null, mediaType: null }
}

export const detectFamily = async (path: string): Promise<MediaFamily | null> => {
  const file = openFileWindow(path)
  const { family } = await detectMedia(path, file).finally(file.close)
  return family
}

const namesOf = (family: MediaFamily): readonly string[] => audioFormats[family].types

export const canBeDeclaredAs = (family: MediaFamily, contentType: string) => {
  const format = audioFormats[family]
  const others: readonly MediaFamily[] = 'alsoDeclaredAs' in format ? format.alsoDeclaredAs : []
  return [family, ...others].some((each) => namesOf(each).includes(storedTypeOf(contentType)))
}

export const mediaTypeOfFamily = (family: MediaFamily, declared: string) => {
  const contentType = storedTypeOf(declared)
  return namesOf(family).includes(contentType) ? contentType : mainTypeOf(family)
}

type Alias = (typeof contentTypeAliases)['image' | 'document'][number]

const storedImagesAndDocuments: Readonly<Record<Alias, string>> = {
  'text/rtf': 'application/rtf',
  'image/apng': 'image/png',
}

// the types to store for names that an upload may use but the core does not know
const storedTypes: ReadonlyMap<string, string> = new Map([
  ...mediaFamilies.flatMap((family) =>
    (audioFormatOf(family).aliases ?? []).map((alias) => [alias, mainTypeOf(family)] as const),
  ),
  ...Object.entries(storedImagesAndDocuments),
])

export const storedTypeOf = (declared: string) => storedTypes.get(declared) ?? declared

/** Works in a bundle, unlike `fileTypeFromFile`, which loads a package by a name that bundlers cannot see. */
export const detectFileType = async (path: string) =>
  fileTypeFromTokenizer(await fromFile(path, { regularFileOnly: true }))
