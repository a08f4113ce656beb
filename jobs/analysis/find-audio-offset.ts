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
const maxDepth = 16

// ID3v2.4 section 3.1: four bytes of seven bits each.
const findId3End = (file: FileWindow) => {
  const header = file.readHeader(0, 10)
  if (header.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + header.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
}

/** Where the elements of a file start and how to read one. Families that are not listed consist of frames. */
const layouts: Readonly<Partial<Record<MediaFamily, readonly [(file: FileWindow) => number, ReadElement]>>> =
  {
    mp4: [() => 0, readBox],
    wav: [() => 12, readRiffChunk],
    rf64: [() => 12, readRiffChunk],
    aiff: [() => 12, readAiffChunk],
    flac: [(file) => findId3End(file) + 4, readFlacBlock],
    webm: [() => 0, readEbmlElement],
  }

const walkElements = (file: FileWindow, from: number, read: ReadElement) => {
  let count = 0
  let audioAt: number | null = null
  const walk = (start: number, end: number, depth: number) => {
    for (let at = start; at < end; ) {
      const element = read(file, at, end)
      if (!element) return
      count += 1
      if (count > maxElements) throw new LimitExceededError(`the file has more than ${maxElements} elements`)
      audioAt ??= element.audioOffset
      if (element.childrenOffset !== null && depth < maxDepth)
        walk(element.childrenOffset, Math.min(element.end, end), depth + 1)
      if (element.isLast) return
      at = element.end
    }
  }
  walk(from, file.fileSize, 0)
  return audioAt
}

/**
 * Counts the elements of a container before a library parses each of them. Returns the number of bytes before the
 * audio, or 0 when that is unknown. Throws `LimitExceededError` when there are too many elements.
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
