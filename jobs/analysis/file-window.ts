import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const windowBytes = 4096

/** Reads headers at any place of a file; neighbours come from one read. */
export interface FileWindow {
  readonly fileSize: number
  /** The bytes from `at` on, zeros behind the end of the file. Valid until the next call. */
  headerAt(at: number, length: number): Buffer
  close(): void
}

/** Reads synchronously: a file of a hundred thousand tiny elements costs a few hundred reads and no turn of the loop. */
export const openFileWindow = (path: string): FileWindow => {
  const file = openSync(path, 'r')
  const { size: fileSize } = fstatSync(file)
  const window = Buffer.alloc(windowBytes)
  let start = 0
  let end = 0
  return {
    fileSize,
    headerAt(at, length) {
      if (at < start || at + length > end) {
        window.fill(0)
        readSync(file, window, 0, windowBytes, at)
        start = at
        end = at + windowBytes
      }
      return window.subarray(at - start, at - start + length)
    },
    close: () => closeSync(file),
  }
}
