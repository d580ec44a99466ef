let seconds = 0;
setInterval(() => {
  seconds += 1;
}, 100);
