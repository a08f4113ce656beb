import { v7 } from 'uuid'

/** A new identifier, a version 7 UUID: later ids of a process sort later, even if the clock is set back. */
export const newId = (): string => v7()
