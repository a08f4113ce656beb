import { v5, v7 } from 'uuid'

/** A process's later ids sort after its earlier ones, even if the clock is set back. */
export const newId = (): string => v7()

const namespace = 'f0d8b1a6-3f0e-4c5c-9d0a-0c6f6d2c8e51'

export const idOfEvent = (event: string): string => v5(event, namespace)
