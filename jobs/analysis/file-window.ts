import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const windowBytes = 4096

export interface FileWindow {
  readonly fileSize: number
  /**
   * Returns the bytes from `offset`, padded with zeros past the end of the file. The result is valid until the next
   * call.
   */
  readHeader(offset: number, length: number): Buffer
  close(): void
}

/**
 * Opens a file for synchronous reads, so that 100,000 tiny elements cost a few hundred reads and no event loop turns.
 */
export const openFileWindow = (path: string): FileWindow => {
  const file = openSync(path, 'r')
  const { size: fileSize } = fstatSync(file)
  const window = Buffer.alloc(windowBytes)
  let start = 0
  let end = 0
  return {
    fileSize,
    readHeader(offset, length) {
      if (offset < start || offset + length > end) {
        window.fill(0)
        readSync(file, window, 0, windowBytes, offset)
        start = offset
        end = offset + windowBytes
      }
      return window.subarray(offset - start, offset - start + length)
    },
    close: () => closeSync(file),
  }
}
