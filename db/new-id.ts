import { v7 as uuidv7 } from 'uuid'

/** A new identifier for a row: ids made later sort later. */
export const newId = (): string => uuidv7()
