import {
  type ReadElement,
  readAiffChunk,
  readBox,
  readEbmlElement,
  readFlacBlock,
  readRiffChunk,
} from './container-elements.ts'
import { type FileWindow, openFileWindow } from './file-window.ts'
import { LimitExceededError } from './limit-exceeded-error.ts'
import type { MediaFamily } from './media-family.ts'

// The tag parser takes about 30 microseconds per element, so this many take seconds. 24 hours of MP4 in fragments of
// ten seconds have 70,000 elements.
const maxElements = 100_000
// Bounds the recursion: the containers that are used for audio nest fewer than ten elements.
const maxDepth = 16
const riffHeaderBytes = 12
// "fLaC"
const flacMarkerBytes = 4

// ID3v2.4 section 3.1: four bytes of seven bits each.
const findId3End = (file: FileWindow) => {
  const header = file.readHeader(0, 10)
  if (header.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + header.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
}

/**
 * Where the elements of a file start and how to read one. The other families (mp3, aac, ogg) have no element tree: only
 * an ID3 tag can precede their audio.
 */
const layouts: Readonly<Partial<Record<MediaFamily, readonly [(file: FileWindow) => number, ReadElement]>>> =
  {
    mp4: [() => 0, readBox],
    wav: [() => riffHeaderBytes, readRiffChunk],
    rf64: [() => riffHeaderBytes, readRiffChunk],
    aiff: [() => riffHeaderBytes, readAiffChunk],
    flac: [(file) => findId3End(file) + flacMarkerBytes, readFlacBlock],
    webm: [() => 0, readEbmlElement],
  }

const walkElements = (file: FileWindow, firstOffset: number, read: ReadElement) => {
  let count = 0
  let audioOffset: number | null = null
  const walk = (start: number, end: number, depth: number) => {
    for (let offset = start; offset < end; ) {
      const element = read(file, offset, end)
      if (!element) return
      count += 1
      if (count > maxElements)
        throw new LimitExceededError(`the container has more than ${maxElements} elements`)
      audioOffset ??= element.audioOffset
      if (element.childrenOffset !== null && depth < maxDepth)
        walk(element.childrenOffset, Math.min(element.end, end), depth + 1)
      if (element.isLast) return
      offset = element.end
    }
  }
  walk(firstOffset, file.fileSize, 0)
  return audioOffset
}

/**
 * Returns the number of bytes before the audio; 0 if there are none or if their number is unknown. Throws
 * `LimitExceededError` if the container has too many elements, before a library parses each of them.
 */
export const findAudioOffset = (path: string, family: MediaFamily): number => {
  const file = openFileWindow(path)
  try {
    const layout = layouts[family]
    if (!layout) return findId3End(file)
    const [findStart, read] = layout
    return walkElements(file, findStart(file), read) ?? 0
  } finally {
    file.close()
  }
}
