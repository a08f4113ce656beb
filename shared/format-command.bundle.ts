export const sandboxCommand: string | null = null

export const formatCommand = (program: string, ...args: readonly string[]) =>
  [`node ${program}.mjs`, ...args].join(' ')
