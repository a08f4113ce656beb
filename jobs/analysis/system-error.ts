// What the operating system reports about itself and the disk. A file cannot cause any of them, whatever its bytes are.
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

/** Whether an error of the file system means that the disk is full or a quota is used up. */
export const isDiskFullError = (error: unknown) => fullDiskErrors.has(codeOf(error))

/** Whether the system is at fault for an error of reading or writing a file, rather than the bytes of the file. */
export const isSystemError = (error: unknown) => systemErrors.has(codeOf(error)) || isDiskFullError(error)

/** Throws an error of the system. Any other error of a parser or decoder is about its file. */
export const rethrowSystemError = (error: unknown) => {
  if (isSystemError(error)) throw error
}

/**
 * How an analysis process ends without a result once it has begun its task. Node exits with other codes when it cannot
 * start the program.
 */
export const childExitCodes = {
  /** The task failed: a bug that the file triggers. */
  taskFailed: 70,
  /** The system failed: the file could not be read. */
  systemFailed: 71,
} as const
