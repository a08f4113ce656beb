/** Whether the database responds as usual. */
export type DatabaseState = 'normal' | 'slow' | 'failing'

/** The database's health, measured independently of the requests that use it. */
export interface DatabaseHealth {
  state(): DatabaseState
}

/** For platforms that do not measure their database. */
export const unmeasuredDatabase: DatabaseHealth = { state: () => 'normal' }
