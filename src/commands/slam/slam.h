// slam.h - the parts of `cairn slam`.
#pragma once

int cairn_slam_eval_run(int argc, char **argv); // eval.c
