import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import { LimitExceededError } from './analysis-limits.ts'
import { type ReadElement, readBox, readEbmlElement, readFlacBlock } from './container-elements.ts'
import type { FileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'

// The tag parser takes about 30 µs per element, so this many take about three seconds. A 24-hour MP4 file in ten-second
// fragments has 70,000 elements.
const maxElements = 100_000
// Limits recursion. The elements of audio containers are nested fewer than ten levels deep.
const maxDepth = 16
// "fLaC"
const flacMarkerBytes = 4

/**
 * Where the elements of a family's files start and how to read one. Other families have no element tree (mp3, aac, ogg)
 * or are not parsed by a library (wav, aiff).
 */
const layouts: Readonly<Partial<Record<MediaFamily, readonly [(file: FileWindow) => number, ReadElement]>>> =
  {
    mp4: [() => 0, readBox],
    flac: [(file) => findId3End(file) + flacMarkerBytes, readFlacBlock],
    webm: [() => 0, readEbmlElement],
  }

/** Throws `LimitExceededError` if a container has too many elements. Call it before a library parses the file. */
export const requireFewElements = (file: FileWindow, family: MediaFamily) => {
  const [findStart, read] = layouts[family] ?? []
  let count = 0
  const walk = (start: number, end: number, depth: number) => {
    for (let offset = start; offset < end; ) {
      const element = read?.(file, offset, end)
      if (!element) return
      count += 1
      if (count > maxElements)
        throw new LimitExceededError(`the container has more than ${maxElements} elements`)
      if (element.childrenOffset !== null && depth < maxDepth)
        walk(element.childrenOffset, Math.min(element.end, end), depth + 1)
      if (element.isLast) return
      offset = element.end
    }
  }
  if (findStart) walk(findStart(file), file.fileSize, 0)
}
