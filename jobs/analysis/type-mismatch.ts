import type { RejectedAudio } from './audio-analysis.ts'
import type { FileWindow } from './file-window.ts'

const inspectedBytes = 1024

const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32)

const describeFound = (file: FileWindow, mediaType: string | null) => {
  if (file.fileSize === 0) return 'empty'
  if (mediaType !== null) return mediaType
  const bytes = file.readHeader(0, Math.min(file.fileSize, inspectedBytes))
  return bytes.some(isControl) ? 'of an unknown type' : 'text'
}

/** The failure of a file that is not what it was declared to be. It says what was found. */
export const createMismatch = (
  file: FileWindow,
  mediaType: string | null,
  contentType: string,
): RejectedAudio => {
  const found = describeFound(file, mediaType)
  return { failure: { code: 'type_mismatch', message: `The file is ${found}, not ${contentType}.` } }
}
