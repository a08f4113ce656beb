// Errors that the operating system reports about itself and the disk. No file can cause them.
const systemErrors: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EAGAIN',
  'EBUSY',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOENT',
  'ENOMEM',
  'ENOTDIR',
  'EPERM',
  'EROFS',
  'ESTALE',
])
const fullDiskErrors: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

export const isDiskFullError = (error: unknown) => fullDiskErrors.has(codeOf(error))

export const isSystemError = (error: unknown) => systemErrors.has(codeOf(error)) || isDiskFullError(error)

/** Any other error of a parser or decoder is the file's fault. */
export const rethrowSystemError = (error: unknown) => {
  if (isSystemError(error)) throw error
}

/**
 * Exit codes of an analysis process that began its task but sent no result. Node uses other codes if it cannot start
 * the program.
 */
export const childExitCodes = {
  /** A bug that the file triggers. */
  taskFailed: 70,
  /** The file could not be read. */
  systemFailed: 71,
} as const
