import { readClockShift } from './shifted-clock.ts'

/**
 * The environment of a process that inherits no settings: where programs are, the compiled code of the modules, and the
 * clock of the tests.
 */
export const childEnvironment = () => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  ...readClockShift(),
})
