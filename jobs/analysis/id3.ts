import type { FileWindow } from './file-window.ts'

const maxTags = 16

// ID3v2.4, sections 3.1 and 3.4: the size has four bytes of seven bits each; a footer follows if its flag is set
const readTagEnd = (file: FileWindow, start: number) => {
  const header = file.readHeader(start, 10)
  if (header.toString('latin1', 0, 3) !== 'ID3') return start
  const footerBytes = header.readUInt8(5) & 0x10 ? 10 : 0
  return start + 10 + header.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0) + footerBytes
}

export const findId3End = (file: FileWindow): number => {
  let end = 0
  for (let tag = 0; tag < maxTags; tag++) {
    const next = readTagEnd(file, end)
    if (next === end || next > file.fileSize) break
    end = next
  }
  return end
}
