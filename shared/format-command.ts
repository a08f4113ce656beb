// In a bundle, `format-command.bundle.ts` takes the place of this module (`imports` in package.json).

/** How a person runs a program of the project, with these arguments. */
export const formatCommand = (program: string, ...args: readonly string[]) =>
  ['npm run', program, ...(args.length > 0 ? ['--'] : []), ...args].join(' ')
