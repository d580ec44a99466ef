let ticks = 0;
setInterval(() => {
  ticks += 1;
}, 100);
