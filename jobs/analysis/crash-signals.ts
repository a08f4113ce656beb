// A process that crashes, or that the kernel stops from writing a file, causes these itself. Others come from outside.
const crashSignals = new Set<NodeJS.Signals | null>([
  'SIGSEGV',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGTRAP',
  'SIGXFSZ',
])

export const isCrash = (signal: NodeJS.Signals | null) => crashSignals.has(signal)
