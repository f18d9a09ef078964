"""Does a trace of one program make estimates of another better?"""
