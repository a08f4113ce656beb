import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findInstalledBinaries, programPath } from '#dev/postgres/binaries.ts'

// From Debian's package `libfaketime`. The loader replaces $LIB. This build is for programs with threads.
const library = '/usr/$LIB/faketime/libfaketimeMT.so.1'

/**
 * The environment for a process whose clock shows `start` at this moment. Its timers still run on the monotonic clock.
 */
export const shiftClockTo = (start: string): NodeJS.ProcessEnv => {
  const offsetS = Math.round((Date.parse(start) - Date.now()) / 1000)
  return {
    LD_PRELOAD: library,
    FAKETIME: `${offsetS < 0 ? '' : '+'}${offsetS}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}

const variables = ['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC', 'TZ'] as const

/**
 * The environment variables that shift this process's clock, for a child that inherits no others; empty if the clock is
 * not shifted.
 */
export const readClockShift = (): Record<string, string> =>
  Object.fromEntries(
    variables.flatMap((name) => {
      const value = process.env.FAKETIME ? process.env[name] : undefined
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** This process's environment without the shift. jemalloc, which Redis links, does not start with libfaketime. */
export const withoutClockShift = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !Object.hasOwn(readClockShift(), name)))

/**
 * Writes programs into `folder` that start PostgreSQL with this process's clock, because the embedded server inherits
 * no environment. Returns the folder, or undefined if the clock is not shifted.
 */
export const writeShiftedPostgres = async (folder: string): Promise<string | undefined> => {
  const shift = Object.entries(readClockShift())
  if (shift.length === 0) return undefined
  const installed = await findInstalledBinaries()
  await mkdir(join(folder, 'bin'))
  const exports = shift.map(([name, value]) => `export ${name}='${value}'`).join('\n')
  await Promise.all(
    (['initdb', 'pg_ctl', 'postgres'] as const).map(async (name) => {
      const path = programPath(folder, name)
      await writeFile(path, `#!/bin/sh\n${exports}\nexec '${programPath(installed, name)}' "$@"\n`)
      await chmod(path, 0o755)
    }),
  )
  return folder
}
