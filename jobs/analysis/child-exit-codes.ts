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
