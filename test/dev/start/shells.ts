import { spawn, spawnSync } from 'node:child_process'

export const shells = [
  { name: 'bash', args: ['--norc', '--noprofile', '-i'] },
  { name: 'zsh', args: ['-f', '-i'] },
] as const

/** Whether a program is installed. On CI, every program counts as installed, so a missing one fails the tests. */
export const isInstalled = (name: string) =>
  process.env.CI !== undefined || spawnSync(name, ['--version']).error === undefined

export const openShell = (
  { name, args }: (typeof shells)[number],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
) => {
  const shell = spawn(name, args, { cwd, env: { ...env, PS1: '', PS2: '', HISTFILE: '' } })
  let output = ''
  let errors = ''
  shell.stdout.on('data', (bytes) => {
    output += bytes
  })
  shell.stderr.on('data', (bytes) => {
    errors += bytes
  })
  shell.stdin.write("trap 'echo a command failed >&2' ERR\n")
  return {
    async paste(block: string) {
      const marker = `end-${crypto.randomUUID()}`
      output = ''
      errors = ''
      shell.stdin.write(`${block}echo ${marker}; echo ${marker} >&2\n`)
      while (!output.includes(`${marker}\n`) || !errors.includes(`${marker}\n`)) {
        if (shell.exitCode !== null) throw new Error(`the shell exited: ${errors}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return { output: output.slice(0, output.indexOf(marker)), errors }
    },
    close: () => void shell.kill('SIGKILL'),
  }
}
