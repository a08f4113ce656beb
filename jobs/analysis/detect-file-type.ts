import { type FileTypeOptions, fileTypeFromTokenizer } from 'file-type'
import { fromFile } from 'strtok3'

/**
 * Detects the type of a file from its first bytes; undefined if it is none that is known. Unlike `fileTypeFromFile`, which
 * loads a package by a name that bundlers do not see, this works in a bundle.
 */
export const detectFileType = async (path: string, options?: FileTypeOptions) =>
  fileTypeFromTokenizer(await fromFile(path, { regularFileOnly: true }), options)
