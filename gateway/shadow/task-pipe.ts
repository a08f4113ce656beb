/** The file descriptor of the pipe for tasks and results in the child process. Output on stdout cannot disturb it. */
export const taskPipe = 3
