import { readClockShift } from './shifted-clock.ts'

/**
 * The environment for a process that inherits no settings. It says where programs and compiled modules are, and passes
 * on the tests' clock.
 */
export const childEnvironment = () => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  ...readClockShift(),
})
