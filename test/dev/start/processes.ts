import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Finds the processes with this marker in their environment. A search by parent id would miss orphaned processes. */
export const findProcesses = (marker: string) =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${Number(pid)}/environ`, 'latin1').includes(`CROSSFADE_TEST_RUN=${marker}`))
        return []
      return [
        { pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ') },
      ]
    } catch {
      return []
    }
  })

/** Resolves to a process's exit code, or to null if a signal ended it. */
export const exited = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('exit', resolve))
