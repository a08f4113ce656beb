// In a bundle, `format-command.bundle.ts` replaces this module (`imports` in package.json).

/** The command that starts the sandbox; null in a bundle, which has none. */
export const sandboxCommand: string | null = 'npm start'

export const formatCommand = (program: string, ...args: readonly string[]) =>
  ['npm run', program, ...(args.length > 0 ? ['--'] : []), ...args].join(' ')
