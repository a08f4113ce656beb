import { readCommandLine, readParent, readStartTime } from '#dev/postgres/processes.ts'

const pollMs = 1000

const isShell = (commandLine: string) => /^(?:\S*\/)?(?:sh|ash|bash|dash|ksh|zsh) /.test(commandLine)

// npm runs a script with `sh -c`. Some shells replace themselves with the script (exec); others remain as its parent.
const findNpm = async (pid: number | null): Promise<number | null> => {
  const commandLine = pid === null ? null : await readCommandLine(pid)
  return pid !== null && commandLine !== null && isShell(commandLine) ? findNpm(await readParent(pid)) : pid
}

// The parent of an orphan is process 1. In a container, process 1 can also be npm itself.
const isOrphan = async (npm: number) =>
  npm === 1 && !/npm|node|yarn|bun/.test((await readCommandLine(1)) ?? '')

/**
 * Calls `onExit` once when the npm that runs this process exits, even if it is killed (SIGKILL), which it cannot pass
 * on. Without npm, it watches nothing, because a service manager, `nohup` or a terminal owns this process and ends it
 * with a signal.
 */
export const watchNpm = async (onExit: () => void) => {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const npm = await findNpm(parent)
  if (npm === null || (await isOrphan(npm))) return onExit()
  const startTime = await readStartTime(npm)
  const hasExited = async () =>
    process.ppid !== parent || (npm !== parent && (await readStartTime(npm)) !== startTime)
  const timer = setInterval(async () => {
    if (!(await hasExited())) return
    clearInterval(timer)
    onExit()
  }, pollMs)
  timer.unref()
}
